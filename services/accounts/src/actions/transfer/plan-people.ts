import { timestampDate } from '@bufbuild/protobuf/wkt'
import { ImportedPersonOutcome, type ImportedPerson } from '@parley/contracts/internal'
import { newId } from '@parley/ids'
import { couldBeEmail, emailKey } from '../../domain/email.ts'
import { loginKey } from '../../domain/login.ts'
import { importKey, type KnownPerson, type NewPerson } from '../../store/imported-people.ts'
import { nothingPersonal } from '../../store/belongings.ts'
import { cleanDisplayName } from './clean-display-name.ts'

/** A person to import, with the keys to look up. */
export type Wanted = { person: ImportedPerson; key: Buffer; userId: string; email: string; candidates: string[] }

/** The current state of the database. */
export type Standing = {
  known: ReadonlyMap<string, KnownPerson>
  holders: ReadonlyMap<string, { userId: string; login: string }>
  /** Keys of logins that are in use or not allowed. */
  taken: ReadonlySet<string>
}

export type PlannedPerson = {
  externalId: string
  key: Buffer
  userId: string
  login: string
  outcome: ImportedPersonOutcome
  emailDropped: boolean
  /** Accounts to insert. */
  made?: NewPerson
}

export function wantedPeople(
  source: string,
  people: readonly ImportedPerson[],
  candidatesOf: (name: string, userId: string) => string[],
): Wanted[] {
  return people.map((person) => {
    const userId = newId('user')
    const email = !person.deleted && couldBeEmail(person.email) ? person.email : ''
    const candidates = person.deleted ? [] : candidatesOf(person.name, userId)
    return { person, key: importKey(source, person.externalId), userId, email, candidates }
  })
}

/**
 * Decides who is already known, who is matched by address, and who gets a new account. Of two people with the same
 * address, the first one gets it.
 */
export function planPeople(wanted: readonly Wanted[], standing: Standing, match: boolean, now: Date): PlannedPerson[] {
  const taken = new Set(standing.taken)
  const holders = new Map(standing.holders)
  const planned = new Map<string, PlannedPerson>()
  return wanted.map((one) => {
    const hex = one.key.toString('hex')
    const known = standing.known.get(hex) ?? planned.get(hex)
    const result = known ? asKnown(one, known) : plan(one, { taken, holders, match, now })
    planned.set(hex, result)
    return result
  })
}

const asKnown = ({ person, key }: Wanted, { userId, login }: { userId: string; login: string }): PlannedPerson => ({
  externalId: person.externalId,
  key,
  userId,
  login,
  outcome: ImportedPersonOutcome.KNOWN,
  emailDropped: false,
})

type Room = { taken: Set<string>; holders: Map<string, { userId: string; login: string }>; match: boolean; now: Date }

function plan({ person, key, userId, email, candidates }: Wanted, room: Room): PlannedPerson {
  const { taken, holders, match, now } = room
  const holder = email === '' ? undefined : holders.get(emailKey(email))
  const base = { externalId: person.externalId, key, emailDropped: false }
  if (holder && match) return { ...base, ...holder, outcome: ImportedPersonOutcome.MATCHED }
  const createdAt = createdAtOf(person, now)
  const outcome = ImportedPersonOutcome.MADE
  const fresh = { id: userId, version: 1n, rolesVersion: 1n, createdAt }
  if (person.deleted) {
    const user = { ...fresh, ...nothingPersonal, deletedAt: createdAt }
    return { ...base, userId, login: '', outcome, made: { user, email: '' } }
  }
  const login = candidates.find((candidate) => !taken.has(loginKey(candidate))) ?? userId
  const own = holder ? '' : email
  taken.add(loginKey(login))
  if (own !== '') holders.set(emailKey(own), { userId, login })
  const user = { ...fresh, login, displayName: cleanDisplayName(person.displayName), passwordHash: null }
  return { ...base, userId, login, outcome, emailDropped: own !== person.email, made: { user, email: own } }
}

/** The given creation time, if it is valid. */
function createdAtOf({ createdAt }: ImportedPerson, now: Date): Date {
  const created = createdAt && timestampDate(createdAt)
  return created && created < now ? created : now
}
