/** Bytes per person for unposted files and for all files, and bytes of the server; undefined: no limit. */
export type Quotas = { pendingBytes: number; userBytes: number | undefined; serverBytes: number | undefined }
