/** Secrets that several deployables read: the variable of each, and its name in the values of the chart. */
export const sharedSecrets = {
  PARLEY_CORE_SECRET_KEY: 'secretKey',
  PARLEY_WEBSERVER_COOKIE_SIGNING_SECRET: 'cookieSigningSecret',
  PARLEY_CORE_ASSETS_SIGNING_SECRET: 'assetsSigningSecret',
  PARLEY_UPLOADS_BLOB_SECRET: 'blobSecret',
  PARLEY_REDIS_URL: 'redisUrl',
} as const

/** A port for clients, in addition to the internal port of every process. */
export type HttpPort = {
  number: number
  /** Settings of the port, in order of precedence. */
  settings: readonly [string, ...string[]]
  /** Setting of the address it listens on. */
  hostSetting: string
  /** Path under which an ingress sends requests to this port. */
  path?: string
  /** Setting of the deployables that proxy to it: the URLs of all its processes, separated by commas. */
  listedAs?: string
  /** Variable of Compose for the host's port. */
  published?: string
}

export type DeployableProperties = {
  about: string
  /** It has a database, and migrations for it. */
  database?: boolean
  http?: HttpPort
  /** Clients connect to it; it is drained before the services that it calls. */
  edge?: boolean
  /** It proxies to every port with `listedAs`, whose URLs it gets as settings. */
  proxies?: boolean
  trustsProxies?: boolean
  /** It stores files in a directory. */
  assets?: boolean
  /** It gets the public URL of the server. */
  url?: boolean
  secrets?: readonly (keyof typeof sharedSecrets)[]
  /** Connections besides the bus, its database and Redis; `internet` means servers that users or operators choose. */
  reaches?: readonly ('mail' | 'media' | 'storage' | 'internet')[]
  speaksForUsers?: boolean
  /** Internal methods it calls; `Service.*` stands for all methods of a service. */
  calls?: readonly `${string}.${string}`[]
  /** Kinds of hints, which are not sent over the stream. */
  hints?: { publishes?: readonly string[]; subscribes?: readonly string[] }
  /** Aggregate types; prefixed with `control.` for events of the control feed. */
  publishes?: readonly string[]
  /** Durables, without the deployable's name as prefix. */
  consumes?: readonly string[]
  /** It administers the stream and its consumers for all others; it may not delete or purge the stream. */
  keepsStream?: boolean
}
