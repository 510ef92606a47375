import type { ConsumerInfo, JetStreamAccountStats, ServerInfo, StreamInfo } from 'nats'

/** State of NATS. Values that it does not return in time are missing. */
export type BusState = {
  connected: boolean
  server: ServerInfo | undefined
  rttMs: number | undefined
  account: JetStreamAccountStats | undefined
  stream: StreamInfo | undefined
  consumers: ConsumerInfo[]
  /** Sequence of the newest message, by subject. */
  newest: Map<string, number>
}
