import { timestampDate } from '@bufbuild/protobuf/wkt'
import { ImportedPersonOutcome, type ImportedPerson } from '@parley/contracts/internal'
import { newId } from '@parley/ids'
import { couldBeEmail, emailKey } from '../../domain/email.ts'
import { loginKey } from '../../domain/login.ts'
import { importKey, type AccountOfPerson, type NewPerson } from '../../store/imported-people.ts'
import { nothingPersonal } from '../../store/belongings.ts'
import { cleanDisplayName } from './clean-display-name.ts'
import { loginCandidates } from './login-candidates.ts'

export type PersonToImport = {
  person: ImportedPerson
  key: Buffer
  newUserId: string
  /** Empty if it is missing or invalid, or the person is deleted. */
  email: string
  /** In order of preference, for a new account. */
  candidates: string[]
}

export type StoredState = {
  /** Accounts of people who were imported before, by the key of the person in hex. */
  known: ReadonlyMap<string, AccountOfPerson>
  /** Accounts that have an address, by the key of the address. */
  holders: ReadonlyMap<string, AccountOfPerson>
  /** Keys of logins in use or not allowed. */
  taken: ReadonlySet<string>
}

export type PlannedPerson = {
  externalId: string
  key: Buffer
  userId: string
  login: string
  outcome: ImportedPersonOutcome
  /** A new account is created without the address of the person, because the address is invalid or taken. */
  emailDropped: boolean
  /** Undefined if the person already has an account. */
  account?: NewPerson
}

export function preparePeople(source: string, people: readonly ImportedPerson[]): PersonToImport[] {
  return people.map((person) => {
    const newUserId = newId('user')
    const email = !person.deleted && couldBeEmail(person.email) ? person.email : ''
    const candidates = person.deleted ? [] : loginCandidates(person.name, newUserId)
    return { person, key: importKey(source, person.externalId), newUserId, email, candidates }
  })
}

/**
 * If two new people have the same address, the first one gets it; the second is matched with that account or, without
 * `matchEmails`, gets an account without an address.
 */
export function planPeople(
  wanted: readonly PersonToImport[],
  state: StoredState,
  matchEmails: boolean,
  now: Date,
): PlannedPerson[] {
  const taken = new Set(state.taken)
  const holders = new Map(state.holders)
  const planned = new Map<string, PlannedPerson>()
  return wanted.map((wantedPerson) => {
    const hex = wantedPerson.key.toString('hex')
    const known = state.known.get(hex) ?? planned.get(hex)
    const result = known ? toKnown(wantedPerson, known) : plan(wantedPerson, { taken, holders, matchEmails, now })
    planned.set(hex, result)
    return result
  })
}

const toKnown = ({ person, key }: PersonToImport, { userId, login }: AccountOfPerson): PlannedPerson => ({
  externalId: person.externalId,
  key,
  userId,
  login,
  outcome: ImportedPersonOutcome.KNOWN,
  emailDropped: false,
})

type PlanState = {
  taken: Set<string>
  holders: Map<string, AccountOfPerson>
  matchEmails: boolean
  now: Date
}

function plan({ person, key, newUserId: userId, email, candidates }: PersonToImport, state: PlanState): PlannedPerson {
  const { taken, holders, matchEmails, now } = state
  const holder = email === '' ? undefined : holders.get(emailKey(email))
  const base = { externalId: person.externalId, key, emailDropped: false }
  if (holder && matchEmails) return { ...base, ...holder, outcome: ImportedPersonOutcome.MATCHED }
  const createdAt = createdAtOf(person, now)
  const outcome = ImportedPersonOutcome.MADE
  const fresh = { id: userId, version: 1n, rolesVersion: 1n, createdAt }
  if (person.deleted) {
    const user = { ...fresh, ...nothingPersonal, deletedAt: createdAt }
    return { ...base, userId, login: '', outcome, account: { user, email: '' } }
  }
  const login = candidates.find((candidate) => !taken.has(loginKey(candidate))) ?? userId
  const accountEmail = holder ? '' : email
  taken.add(loginKey(login))
  if (accountEmail !== '') holders.set(emailKey(accountEmail), { userId, login })
  const user = { ...fresh, login, displayName: cleanDisplayName(person.displayName), passwordHash: null }
  return {
    ...base,
    userId,
    login,
    outcome,
    emailDropped: accountEmail !== person.email,
    account: { user, email: accountEmail },
  }
}

function createdAtOf({ createdAt }: ImportedPerson, now: Date): Date {
  const created = createdAt && timestampDate(createdAt)
  return created && created < now ? created : now
}
