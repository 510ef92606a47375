import type { ConsumerInfo, JetStreamAccountStats, ServerInfo, StreamInfo } from 'nats'

/** Values that could not be read are undefined; consumers are then an empty list, sequences 0. */
export type BusState = {
  connected: boolean
  server: ServerInfo | undefined
  rttMs: number | undefined
  account: JetStreamAccountStats | undefined
  stream: StreamInfo | undefined
  consumers: ConsumerInfo[]
  /** Sequence of the newest message by filter subject; 0 if there is none. */
  newest: Map<string, number>
}
