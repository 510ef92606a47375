/** Settings of every deployable; see `processFields` and `busFields` of `@parley/config`. */
export type HostConfig = {
  internalHost: string
  internalPort: number
  drainTimeoutMs: number
  natsUrl: string
  natsUser: string | undefined
  natsPassword: string | undefined
}

/** Settings of a deployable with a database; see `databaseFields`. */
export type DatabaseConfig = HostConfig & { databaseUrl: string; databasePool: number }
