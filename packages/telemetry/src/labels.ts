/** `values`: constants; `atMost`: a limited number from a known source. */
type Label = { readonly meaning: string } & (
  | { readonly values: readonly string[] }
  | {
      /** In one process. */
      readonly atMost: number
    }
)

/**
 * Every label of every metric. A label never contains an id, an address, a name of a person or a text. Its value is one
 * of those listed here, or comes from a set that does not grow with people, rooms and messages. A test compares what a
 * fleet under traffic reports with these limits.
 */
export const labels = {
  'cpu.mode': { meaning: 'what the CPU time was spent on', values: ['user', 'system'] },
  'db.client.connection.pool.name': { meaning: 'the deployable that has the pool', atMost: 12 },
  'db.client.connection.state': { meaning: 'whether a connection is in use', values: ['idle', 'used'] },
  'error.type': {
    meaning: 'only for failures: the Connect code, an HTTP error status, or the kind of the failure',
    atMost: 40,
  },
  'http.request.method': {
    meaning: 'the method; `_OTHER` for unknown ones',
    values: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', '_OTHER'],
  },
  'http.response.status_code': { meaning: 'the HTTP status', atMost: 64 },
  'http.route': { meaning: 'the method of the contract, or the pattern of the path; `*` for others', atMost: 500 },
  'messaging.consumer.group.name': { meaning: 'the durable consumer, or another queue that parks events', atMost: 64 },
  'messaging.operation.name': { meaning: 'the operation on the bus', values: ['publish'] },
  'nodejs.eventloop.state': { meaning: 'whether the event loop worked or waited', values: ['active', 'idle'] },
  'parley.action': { meaning: 'what a push does in the browser', values: ['show', 'dismiss'] },
  'parley.belonging': {
    meaning: 'whether the identity of the storage is missing or that of another database',
    values: ['missing', 'foreign'],
  },
  'parley.event.kind': { meaning: 'kind of an event of the contract', atMost: 200 },
  'parley.fact': { meaning: 'kind of a room fact of the contract', atMost: 60 },
  'parley.kind': { meaning: 'kind of the notification, mail or job', atMost: 24 },
  'parley.lane': { meaning: 'lane of the queue of pushes', values: ['first', 'soon', 'mass'] },
  'parley.outcome': { meaning: 'the outcome', atMost: 40 },
  'parley.peer': {
    meaning: 'kind of the server that got the request',
    values: ['assets', 'webhooks', 'push', 'page', 'provider', 'media', 'storage'],
  },
  'parley.provider': { meaning: 'a sign-in provider of the configuration', atMost: 32 },
  'parley.queue': { meaning: 'a queue of jobs in a database', atMost: 16 },
  'parley.reason': { meaning: 'the reason, one of a few values', atMost: 40 },
  'parley.service': { meaning: 'a deployable', atMost: 12 },
  'rpc.method': { meaning: 'full name of a method of the contract', atMost: 500 },
  'rpc.response.status_code': { meaning: 'the Connect code, or `ok`', atMost: 17 },
  'v8js.heap.space.name': { meaning: 'a space of the heap of V8', atMost: 16 },
} as const satisfies Record<string, Label>

export type LabelName = keyof typeof labels

type ValueOf<N extends LabelName> = (typeof labels)[N] extends { readonly values: readonly (infer V)[] }
  ? V
  : string | number

/** Only failures have an error, and only answered requests a status. */
type Optional = 'error.type' | 'http.response.status_code'

export type LabelsOf<N extends LabelName> = { readonly [K in Exclude<N, Optional>]: ValueOf<K> } & {
  readonly [K in N & Optional]?: ValueOf<K>
}
