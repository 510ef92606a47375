/** Secrets that several deployables read, by the names that values of the chart have for them. */
export const sharedSecrets = {
  PARLEY_CORE_SECRET_KEY: 'secretKey',
  PARLEY_WEBSERVER_COOKIE_SIGNING_SECRET: 'cookieSigningSecret',
  PARLEY_CORE_ASSETS_SIGNING_SECRET: 'assetsSigningSecret',
  PARLEY_UPLOADS_BLOB_SECRET: 'blobSecret',
  PARLEY_REDIS_URL: 'redisUrl',
} as const

/** A port for clients, beside the internal one that every process has. */
export type HttpPort = {
  number: number
  /** Settings that take it, the strongest first. */
  settings: readonly [string, ...string[]]
  /** Setting of the address it listens on. */
  hostSetting: string
  /** Path that an ingress sends here. */
  path?: string
  /** Setting in which those that proxy are told the addresses of all its processes, separated by commas. */
  listedAs?: string
  /** Variable of Compose that takes the port of the host. */
  published?: string
}

export type DeployableFacts = {
  /** What it is for, in a line. */
  about: string
  /** Whether it has a database of its own, with migrations. */
  database?: boolean
  http?: HttpPort
  /** Stands at the edge: it is drained before the services it asks. */
  edge?: boolean
  /** Is told the addresses of those that are listed, so it starts after them. */
  proxies?: boolean
  /** Reads the address of clients from proxies that it trusts. */
  trustsProxies?: boolean
  /** Keeps bytes in a folder. */
  assets?: boolean
  /** Is told where people reach the server. */
  url?: boolean
  secrets?: readonly (keyof typeof sharedSecrets)[]
  /** Calls public methods in the name of users. */
  speaksForUsers?: boolean
  /** Internal methods it calls; `Service.*` are all of a service. */
  asks?: readonly `${string}.${string}`[]
  /** What it hints at beside the stream, and which hints it hears. */
  hints?: { tells?: readonly string[]; hears?: readonly string[] }
  /** Types of aggregates whose events it tells, after `control.` where every process follows them. */
  tells?: readonly string[]
  /** Its durables on the stream, without its name before them. */
  consumes?: readonly string[]
  /** Makes the stream and what the others need of it; nothing on the stream is forbidden to it but to empty it. */
  keepsStream?: boolean
}
