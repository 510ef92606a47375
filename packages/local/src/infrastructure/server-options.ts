/** What the three servers have in common. */
export type ServerOptions = {
  /** Folder of its data; made when missing. */
  dir: string
  /** TCP port on loopback; a free one when 0 or left out. */
  port?: number
  /** Where its output is appended; default: in `dir`. */
  logFile?: string
  /** Where it is remembered while it runs; default: in `dir`. */
  pidFile?: string
  /** Told what takes long or is remarkable. */
  say?: (line: string) => void
}
