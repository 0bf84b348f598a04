// The networks that a carriers' file may name.

export const NETWORKS = ['att', 'tmo', 'vzw'] as const
