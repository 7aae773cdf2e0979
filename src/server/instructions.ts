/** The map from questions to tools, for the model. At most 2 KB; it is in every conversation. */
export const INSTRUCTIONS = 'Read-only view of a Proxmox VE cluster.';
