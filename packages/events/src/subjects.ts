/** Types of aggregates: the first token of an event's subject after `evt` (and `control`). */
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
/** Events that change permissions; every process follows them. */
export const controlEvents = 'evt.control.>'

const controlKinds: ReadonlySet<string> = new Set([
  'policy_changed',
  'roles_changed',
  'credentials_ended',
  'account_deleted',
])

/** One token of a subject: visible ASCII without the characters that mean something to NATS. */
const token = /^[A-Za-z0-9_-]{1,128}$/

type SubjectParts = { aggregateType: AggregateType; aggregateId: string; kind: string; detail?: string | undefined }

/** The subject of an event. Throws a RangeError for a part that is not valid in a subject. */
export function eventSubject({ aggregateType, aggregateId, kind, detail }: SubjectParts): string {
  const details = detail === undefined ? [] : [detail]
  for (const part of [aggregateType, aggregateId, kind, ...details]) {
    if (!token.test(part)) throw new RangeError(`"${part}" cannot be part of an event's subject`)
  }
  return ['evt', ...(controlKinds.has(kind) ? ['control'] : []), aggregateType, aggregateId, kind, ...details].join('.')
}

/** The subject up to the aggregate's id: `evt.room.R1` of `evt.room.R1.message_posted.text`. */
export function aggregateOf(subject: string): string {
  const tokens = subject.split('.')
  return tokens.slice(0, tokens[1] === 'control' ? 4 : 3).join('.')
}

/** Whether a subject filter (`*` for one token, `>` for all that follow) covers a subject. */
export function covers(filter: string, subject: string): boolean {
  const [tokens, wanted] = [subject.split('.'), filter.split('.')]
  if (wanted.at(-1) === '>' ? tokens.length < wanted.length : tokens.length !== wanted.length) return false
  return wanted.every((one, at) => one === '>' || one === '*' || one === tokens[at])
}

/** Notifies the holder of a shard of waiting entries. */
export const wakeSubject = (service: string, shard: number): string => `wake.${service}.${shard}`
/** Notifies the relays of a service that one started, stopped or released a shard. */
export const relaysSubject = (service: string): string => `wake.${service}.relays`

/** Requests of a deployable to the keeper of the stream; the bus lets each use only its own name. */
export const keeperSubject = (requester: string, verb: string): string => `stream.${requester}.${verb}`
/** Delivers events to a reader of the stream; only its deployable can listen there. */
export const readerSubject = (requester: string, id: string): string => `deliver.${requester}.${id}`

/** The name of a service's durable consumer on the stream. */
export const durableName = (service: string, durable: string): string => `${service}-${durable}`

/** Typing hints; core NATS, never stored. */
export const typingHints = 'hint.typing.*'
/** Typing hints of one room. */
export const typingHintSubject = (roomId: string): string => `hint.typing.${roomId}`

/** Presence hints; core NATS, never stored. */
export const presenceHints = 'hint.presence.*'
/** Presence hints of one user. */
export const presenceHintSubject = (userId: string): string => `hint.presence.${userId}`
