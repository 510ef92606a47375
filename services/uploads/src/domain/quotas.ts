/** How many bytes are kept; undefined: any number. */
export type Quotas = { pendingBytes: number; userBytes: number | undefined; serverBytes: number | undefined }
