/** What every deployable is told; see `processFields` and `busFields` of `@parley/config`. */
export type HostConfig = {
  internalHost: string
  internalPort: number
  drainTimeoutMs: number
  natsUrl: string
  natsUser: string | undefined
  natsPassword: string | undefined
}

/** What a deployable with a database is told besides; see `databaseFields`. */
export type DatabaseConfig = HostConfig & { databaseUrl: string; databasePool: number }
