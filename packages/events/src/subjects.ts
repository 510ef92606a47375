/** The first token of an event's subject after `evt` (and `control`). */
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
/** Subject filter of all events. */
export const allEvents = 'evt.>'
/** Filter of the events that change permissions or end access. */
export const controlEvents = 'evt.control.>'

const controlKinds: ReadonlySet<string> = new Set([
  'policy_changed',
  'roles_changed',
  'credentials_ended',
  'account_deleted',
])

const token = /^[A-Za-z0-9_-]{1,128}$/

type SubjectParts = { aggregateType: AggregateType; aggregateId: string; kind: string; detail?: string | undefined }

/** Throws a RangeError for a part that is not valid in a subject. */
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

/** Whether a subject filter (`*` for one token, `>` for all further ones) covers a subject. */
export function covers(filter: string, subject: string): boolean {
  const [tokens, wanted] = [subject.split('.'), filter.split('.')]
  if (wanted.at(-1) === '>' ? tokens.length < wanted.length : tokens.length !== wanted.length) return false
  return wanted.every((one, at) => one === '>' || one === '*' || one === tokens[at])
}

export const wakeSubject = (service: string, shard: number): string => `wake.${service}.${shard}`
export const relaysSubject = (service: string): string => `wake.${service}.relays`

/** Subject of a deployable's requests to the keeper; the bus lets each deployable use only its own name. */
export const keeperSubject = (requester: string, verb: string): string => `stream.${requester}.${verb}`
/** Subject on which a reader of the stream receives events; only the deployable `requester` can listen there. */
export const readerSubject = (requester: string, id: string): string => `deliver.${requester}.${id}`

export const durableName = (service: string, durable: string): string => `${service}-${durable}`

/** Typing hints travel over core NATS; nobody stores them. */
export const typingHints = 'hint.typing.*'
export const typingHintSubject = (roomId: string): string => `hint.typing.${roomId}`

/** Presence hints travel over core NATS; nobody stores them. */
export const presenceHints = 'hint.presence.*'
export const presenceHintSubject = (userId: string): string => `hint.presence.${userId}`
