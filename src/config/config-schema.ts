import * as z from 'zod';
import { MAX_ANSWER_CHARS, TIMEOUT_SECONDS } from './settings.ts';
import { TOOLSET_WORDS } from './toolsets.ts';

/** Names of clusters: short, lower case, safe in any answer. */
const CLUSTER_NAME = /^[a-z0-9][a-z0-9-]{0,31}$/;
/** What tools take for "every cluster"; no cluster may be called so. */
const RESERVED_NAME = 'all';

const text = z.string().min(1).max(4096);
const toolsets = z.array(z.enum(TOOLSET_WORDS)).min(1);

/** One cluster of the file. */
export const clusterSchema = z
  .strictObject({
    urls: z.array(text).min(1).max(64).describe('Base URLs of nodes of this cluster, in order of preference.'),
    tokenId: text.describe('user@realm!tokenname'),
    tokenSecretFile: text.optional().describe('File with the token secret and nothing else; relative to this file.'),
    tokenSecretEnv: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/)
      .optional()
      .describe('Environment variable that holds the token secret.'),
    tokenSecret: text.optional().describe('The token secret itself; keep the file private (chmod 600).'),
    caFile: text.optional().describe('PEM file with the CA certificate; relative to this file.'),
    fingerprints: z.array(text).min(1).max(256).optional().describe("SHA-256 fingerprints of the nodes' own certificates."),
    servername: text.optional().describe('Host name to verify in place of the one in the URL.'),
    verifyTls: z.boolean().optional().describe('False turns certificate checks off for this cluster.'),
    timeoutSeconds: z
      .number()
      .min(TIMEOUT_SECONDS.min)
      .max(TIMEOUT_SECONDS.max)
      .optional()
      .describe(`Time-out of one request; ${TIMEOUT_SECONDS.default} by default.`),
    toolsets: toolsets.optional().describe('The toolsets this cluster may be asked with; every enabled one by default.'),
  })
  .meta({
    // For editors only; the loader checks it itself and says which settings clash.
    oneOf: [{ required: ['tokenSecretFile'] }, { required: ['tokenSecretEnv'] }, { required: ['tokenSecret'] }],
  });

/** A cluster entry of the right shape, its values not yet checked. */
export type ClusterEntry = z.infer<typeof clusterSchema>;

/** One accepted finding. */
export const ignoreSchema = z.strictObject({
  id: z
    .string()
    .regex(/^PVE-[A-Z]{1,3}[0-9]{2,3}$/)
    .describe('The check, for example PVE-Q01.'),
  on: z.string().trim().min(1).max(200).optional().describe('Node, guest or storage; everywhere when left out.'),
  reason: z.string().trim().min(1).max(500).describe('Why it is accepted; shown in answers.'),
});

/** What the administrator says about health checks. */
export const healthSchema = z.strictObject({
  ignore: z.array(ignoreSchema).max(1000).optional().describe('Findings that are known and accepted.'),
  thresholds: z
    .record(z.string().regex(/^[A-Za-z][A-Za-z0-9._-]{0,63}$/), z.number())
    .optional()
    .describe("Numbers in place of the checks' own."),
});

/** The whole file. */
export const fileSchema = z.strictObject({
  $schema: z.string().optional(),
  clusters: z
    .record(
      z
        .string()
        .regex(CLUSTER_NAME)
        .refine((name) => name !== RESERVED_NAME),
      clusterSchema,
    )
    .refine((clusters) => Object.keys(clusters).length > 0)
    .meta({ minProperties: 1, description: 'Clusters by name: lower-case letters, digits and dashes; not "all".' }),
  toolsets: toolsets.optional().describe('The toolsets switched on; "default" when left out.'),
  output: z.enum(['text', 'structured']).optional(),
  maxAnswerChars: z.int().min(MAX_ANSWER_CHARS.min).max(MAX_ANSWER_CHARS.max).optional(),
  health: healthSchema.optional(),
});

/** JSON Schema (draft 2020-12) of the configuration file, for editors and for the documentation. */
export function configJsonSchema(): z.core.JSONSchema.BaseSchema {
  return { ...z.toJSONSchema(fileSchema, { io: 'input' }), title: 'mcp-proxmox configuration' };
}
