/** Options common to the three servers. */
export type ServerOptions = {
  /** Folder of its data; made when missing. */
  dir: string
  /** TCP port on loopback; a free one when 0 or left out. */
  port?: number
  /** File for its output; default: in `dir`. */
  logFile?: string
  /** Its pid file; default: in `dir`. */
  pidFile?: string
  /** Told what takes long or is remarkable. */
  say?: (line: string) => void
}
