import a from './a.json' with { type: 'json' };
export default a as unknown;
