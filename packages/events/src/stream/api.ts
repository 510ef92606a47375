import { NatsError, type JetStreamClient, type JetStreamManager } from 'nats'
import type { Bus } from '@parley/rpc'

type Api = { client: JetStreamClient; manager: JetStreamManager }

const apis = new WeakMap<Bus, Promise<Api>>()

/** JetStream over a bus connection; created once per connection, without a request to the server. */
export function jetStream(bus: Bus): Promise<Api> {
  let api = apis.get(bus)
  if (api === undefined) {
    api = bus.nc
      .jetstreamManager({ checkAPI: false, timeout: 5000 })
      .then((manager) => ({ manager, client: bus.nc.jetstream({ timeout: 5000 }) }))
    apis.set(bus, api)
  }
  return api
}

const STREAM_NOT_FOUND = 10059
const STREAM_NAME_IN_USE = 10058
const CONSUMER_NOT_FOUND = 10014
const MESSAGE_NOT_FOUND = 10037
const MESSAGE_TOO_LARGE = 10054
const RESOURCE_LIMITS_EXCEEDED = 10002
const INSUFFICIENT_RESOURCES = 10023
const INSUFFICIENT_STORAGE = 10047
const NO_SUITABLE_PEERS = 10005
const NO_CLUSTER = 10074
const STORE_TOO_SMALL = [RESOURCE_LIMITS_EXCEEDED, INSUFFICIENT_RESOURCES, INSUFFICIENT_STORAGE]

function apiCode(error: unknown): number | undefined {
  return error instanceof NatsError ? error.api_error?.err_code : undefined
}

export const isStreamMissing = (error: unknown): boolean => apiCode(error) === STREAM_NOT_FOUND

export const isStreamNameTaken = (error: unknown): boolean => apiCode(error) === STREAM_NAME_IN_USE

export const isConsumerMissing = (error: unknown): boolean => apiCode(error) === CONSUMER_NOT_FOUND

export const isMessageMissing = (error: unknown): boolean => apiCode(error) === MESSAGE_NOT_FOUND

/**
 * The storage of the server, the account or every server of a cluster is smaller than the maximum size of the stream.
 */
export const isStoreTooSmall = (error: unknown): boolean =>
  STORE_TOO_SMALL.includes(apiCode(error) ?? 0) ||
  (apiCode(error) === NO_SUITABLE_PEERS && error instanceof Error && error.message.includes('insufficient storage'))

export const isClusterTooSmall = (error: unknown): boolean =>
  apiCode(error) === NO_CLUSTER || (apiCode(error) === NO_SUITABLE_PEERS && !isStoreTooSmall(error))

/** Nobody answered: the stream is missing or belongs to another NATS account, or JetStream is not ready yet. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof NatsError && (error.code === '503' || error.code === 'TIMEOUT')

export function isRefusedForGood(error: unknown): boolean {
  if (apiCode(error) === MESSAGE_TOO_LARGE) return true
  return error instanceof NatsError && (error.code === 'MAX_PAYLOAD_EXCEEDED' || error.code === 'BAD_SUBJECT')
}
