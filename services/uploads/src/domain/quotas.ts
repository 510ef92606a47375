/** Limits in bytes; undefined: no limit. */
export type Quotas = { pendingBytes: number; userBytes: number | undefined; serverBytes: number | undefined }
