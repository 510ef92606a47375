import type { ConsumerInfo, JetStreamAccountStats, ServerInfo, StreamInfo } from 'nats'

/** What the bus says about itself. What it does not answer in time is missing. */
export type BusState = {
  connected: boolean
  server: ServerInfo | undefined
  rttMs: number | undefined
  account: JetStreamAccountStats | undefined
  stream: StreamInfo | undefined
  consumers: ConsumerInfo[]
  /** By subject: the newest message stored under it. */
  newest: Map<string, number>
}
