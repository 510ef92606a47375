/** What an event can be about; the first token of its subject after `evt` (and `control`). */
export type AggregateType =
  | 'room'
  | 'user'
  | 'reader'
  | 'policy'
  | 'config'
  | 'layout'
  | 'group'
  | 'rbac'
  | 'auth'
  | 'asset'
  | 'notification'
  | 'preference'

/** The stream that holds every event. */
export const eventStream = 'EVENTS'
/** Every event. */
export const allEvents = 'evt.>'
/** Events that change who may what; every process follows them. */
export const controlEvents = 'evt.control.>'

const controlKinds: ReadonlySet<string> = new Set([
  'policy_changed',
  'roles_changed',
  'credentials_ended',
  'account_deleted',
])

/** One token of a subject: visible ASCII without the characters that mean something to NATS. */
const token = /^[A-Za-z0-9_-]{1,128}$/

/** The subject of an event. Throws a RangeError when a part cannot stand in a subject. */
export function eventSubject(event: { aggregateType: AggregateType; aggregateId: string; kind: string }): string {
  const { aggregateType, aggregateId, kind } = event
  for (const part of [aggregateType, aggregateId, kind]) {
    if (!token.test(part)) throw new RangeError(`"${part}" cannot be part of an event's subject`)
  }
  return `evt.${controlKinds.has(kind) ? 'control.' : ''}${aggregateType}.${aggregateId}.${kind}`
}

/** Whether a filter of subjects, with `*` for a token and `>` for all that follow, covers a subject. */
export function covers(filter: string, subject: string): boolean {
  const [tokens, wanted] = [subject.split('.'), filter.split('.')]
  if (wanted.at(-1) === '>' ? tokens.length < wanted.length : tokens.length !== wanted.length) return false
  return wanted.every((one, at) => one === '>' || one === '*' || one === tokens[at])
}

/** Where the holder of a shard hears that entries wait. */
export const wakeSubject = (service: string, shard: number): string => `wake.${service}.${shard}`
/** Where the relays of a service hear that one came, went or gave a shard back. */
export const relaysSubject = (service: string): string => `wake.${service}.relays`

/** Where the keeper of the stream hears what a deployable asks; the bus lets each use its own name only. */
export const keeperSubject = (asker: string, verb: string): string => `stream.${asker}.${verb}`
/** Where a reader of the stream brings events; only its deployable can listen there. */
export const readerSubject = (asker: string, id: string): string => `deliver.${asker}.${id}`

/** The name of a service's durable consumer on the stream. */
export const durableName = (service: string, durable: string): string => `${service}-${durable}`

/** Who types where; core NATS, never stored. */
export const typingHints = 'hint.typing.*'
/** Where it is told of one room. */
export const typingHintSubject = (roomId: string): string => `hint.typing.${roomId}`

/** What is told of who is there; core NATS, never stored. */
export const presenceHints = 'hint.presence.*'
/** Where it is told of one user. */
export const presenceHintSubject = (userId: string): string => `hint.presence.${userId}`
