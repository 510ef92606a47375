import { createHash } from 'node:crypto'
import { eq, inArray } from 'drizzle-orm'
import type { Reader, Tx } from '@parley/postgres'
import { emailKey } from '../domain/email.ts'
import { loginKey } from '../domain/login.ts'
import { emails, handles, importedPeople, users } from './schema.ts'

export const importKey = (source: string, externalId: string): Buffer =>
  createHash('sha256').update(`${source}\0${externalId}`).digest()

export type AccountOfPerson = { userId: string; login: string }

export async function findImported(reader: Reader, keys: readonly Buffer[]): Promise<Map<string, AccountOfPerson>> {
  if (keys.length === 0) return new Map()
  const rows = await reader
    .select({ key: importedPeople.key, userId: importedPeople.userId, login: users.login })
    .from(importedPeople)
    .innerJoin(users, eq(users.id, importedPeople.userId))
    .where(inArray(importedPeople.key, [...keys]))
  return new Map(rows.map(({ key, ...row }) => [key.toString('hex'), row]))
}

export async function holdersByEmail(
  reader: Reader,
  addresses: readonly string[],
): Promise<Map<string, AccountOfPerson>> {
  if (addresses.length === 0) return new Map()
  const rows = await reader
    .select({ key: emails.key, userId: emails.userId, login: users.login })
    .from(emails)
    .innerJoin(users, eq(users.id, emails.userId))
    .where(inArray(emails.key, addresses.map(emailKey)))
  return new Map(rows.map(({ key, ...holder }) => [key, holder]))
}

export async function findTakenHandles(reader: Reader, logins: readonly string[]): Promise<Set<string>> {
  if (logins.length === 0) return new Set()
  const rows = await reader
    .select({ key: handles.key })
    .from(handles)
    .where(inArray(handles.key, logins.map(loginKey)))
  return new Set(rows.map(({ key }) => key))
}

export type NewPerson = { user: typeof users.$inferInsert; email: string }

/** Every import inserts in this order, so that two imports of the same people cannot deadlock. */
const sortByKey = <Row extends { key: string | Buffer }>(rows: readonly Row[]): Row[] =>
  rows.toSorted((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)))

/** Throws a unique violation if a login or an address has been taken in the meantime. */
export async function insertPeople(tx: Tx, people: readonly NewPerson[], at: Date): Promise<void> {
  if (people.length === 0) return
  await tx.insert(users).values(people.map(({ user }) => user))
  const named = people.filter(({ user }) => user.login !== '')
  const logins = named.map(({ user }) => ({ key: loginKey(user.login), kind: 'login' as const, ownerId: user.id }))
  if (logins.length > 0) await tx.insert(handles).values(sortByKey(logins))
  const addresses = people
    .filter(({ email }) => email !== '')
    .map(({ user, email }) => ({ key: emailKey(email), address: email, userId: user.id, verifiedAt: at }))
  if (addresses.length > 0) await tx.insert(emails).values(sortByKey(addresses))
}

/** Throws a unique violation if another call imports the same person. */
export async function insertImported(tx: Tx, people: readonly { key: Buffer; userId: string }[]): Promise<void> {
  if (people.length > 0) await tx.insert(importedPeople).values(sortByKey(people))
}
