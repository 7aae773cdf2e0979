/** Parameter validation against the schema facts, with the API's own texts. */
import type { ParameterFacts } from './facts.ts';
import { checkFormat } from './formats.ts';
import type { ParamValue, ParamValues } from './request-target.ts';

/** Parameter name to complaint. */
export type ParameterErrors = Record<string, string>;

/** Gives the complaints, or undefined when every value is right. */
export type ParameterTest = (values: ParamValues) => ParameterErrors | undefined;

type ValueTest = (value: string) => string | undefined;

const TYPES: Readonly<Record<ParameterFacts['type'], RegExp>> = {
  string: /^/,
  integer: /^[+-]?\d+$/,
  number: /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/,
  boolean: /^[01]$/,
};

/** Compiles the parameters of an endpoint into one test of all values, those of the path included. */
export function compileParameters(facts: Readonly<Record<string, ParameterFacts>>): ParameterTest {
  const known = new Map(Object.entries(facts).map(([name, parameter]) => [name, compileParameter(parameter)]));
  const required = Object.keys(facts).filter((name) => facts[name]?.optional !== 1);
  return (values) => {
    const errors: ParameterErrors = {};
    for (const [name, value] of values) {
      const test = known.get(name);
      const complaint =
        test === undefined
          ? 'property is not defined in schema and the schema does not allow additional properties'
          : test(value);
      if (complaint !== undefined) errors[name] = complaint;
    }
    for (const name of required) {
      if (!values.has(name)) errors[name] = 'property is missing and it is not optional';
    }
    return Object.keys(errors).length === 0 ? undefined : errors;
  };
}

function compileParameter(facts: ParameterFacts): (value: ParamValue) => string | undefined {
  const tests = [...formatTests(facts), ...lengthTests(facts), ...patternTests(facts), ...rangeTests(facts), ...enumTests(facts)];
  const type = TYPES[facts.type];
  return (value) => {
    if (typeof value !== 'string') return `type check ('${facts.type}') failed - got ARRAY`;
    if (!type.test(value)) return `type check ('${facts.type}') failed - got '${value}'`;
    for (const test of tests) {
      const complaint = test(value);
      if (complaint !== undefined) return complaint;
    }
    return undefined;
  };
}

function formatTests({ format }: ParameterFacts): ValueTest[] {
  if (format === undefined) return [];
  return [
    (value) => {
      const complaint = checkFormat(format, value);
      return complaint === undefined ? undefined : `invalid format - ${complaint}`;
    },
  ];
}

function lengthTests({ minLength, maxLength }: ParameterFacts): ValueTest[] {
  const tests: ValueTest[] = [];
  if (minLength !== undefined) {
    tests.push((value) => (value.length < minLength ? `value must be at least ${minLength} characters long` : undefined));
  }
  if (maxLength !== undefined) {
    tests.push((value) => (value.length > maxLength ? `value may only be ${maxLength} characters long` : undefined));
  }
  return tests;
}

function patternTests({ pattern }: ParameterFacts): ValueTest[] {
  if (pattern === undefined) return [];
  const expression = translatePattern(pattern);
  return [(value) => (expression.test(value) ? undefined : 'value does not match the regex pattern')];
}

/** Patterns are written in the schema's regex dialect: `(?^:x)` is a plain group, `(?^i:x)` one without regard to case. */
function translatePattern(pattern: string): RegExp {
  const source = pattern.replaceAll('(?^:', '(?:').replaceAll('(?^i:', '(?:');
  return new RegExp(`^(?:${source})$`, pattern.includes('(?^i:') ? 'i' : '');
}

function rangeTests({ type, minimum, maximum }: ParameterFacts): ValueTest[] {
  if (type === 'string') return [];
  const tests: ValueTest[] = [];
  if (minimum !== undefined) {
    tests.push((value) => (Number(value) < minimum ? `value must have a minimum value of ${minimum}` : undefined));
  }
  if (maximum !== undefined) {
    tests.push((value) => (Number(value) > maximum ? `value must have a maximum value of ${maximum}` : undefined));
  }
  return tests;
}

function enumTests({ enum: allowed }: ParameterFacts): ValueTest[] {
  if (allowed === undefined) return [];
  return [
    (value) =>
      allowed.includes(value) ? undefined : `value '${value}' does not have a value in the enumeration '${allowed.join(', ')}'`,
  ];
}
