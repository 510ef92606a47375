/** In bytes: per person for unposted files and for all files, and for the server; undefined: no limit. */
export type Quotas = { pendingBytes: number; userBytes: number | undefined; serverBytes: number | undefined }
