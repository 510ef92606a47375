/** Options common to the three servers. */
export type ServerOptions = {
  /** Folder of its data; created if missing. */
  dir: string
  /** TCP port on loopback; default, and for 0: a free one. */
  port?: number
  /** File for its output; default: in `dir`. */
  logFile?: string
  /** Its pid file; default: in `dir`. */
  pidFile?: string
  /** Receives progress messages about slow or unusual steps. */
  say?: (line: string) => void
}
