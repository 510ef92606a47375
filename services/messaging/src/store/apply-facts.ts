import { timestampDate } from '@bufbuild/protobuf/wkt'
import type { RoomFact } from '@parley/contracts/internal'
import { enqueue, type OutgoingEvent } from '@parley/events'
import type { Db, Tx } from '@parley/postgres'
import { and, eq, inArray, sql } from 'drizzle-orm'
import { foldFacts, usersBanned, type Step } from '../domain/fold-facts.ts'
import type { FactLine } from '../domain/room-line.ts'
import { roomKindName, roomKinds } from './lines.ts'
import { lineBans, lineMembers, roomEventKind, roomEvents, roomLines } from './schema.ts'

/** Where the line stands after facts were offered. */
export type Applied = {
  /** Undefined when nothing is held of the room. */
  room: FactLine | undefined
  /** How many of the facts were new. */
  applied: number
  /** Outbox entries of these facts. */
  entries: bigint[]
  /** Outbox entry of the last fact held. */
  lastEntry: bigint
}

type Held = { line: FactLine; factEntry: bigint }

/**
 * Takes what is new among the facts into the room's line: place, timeline rows, copies and outbox entries, which `toEvent`
 * describes. `now` stands for the time of a fact that tells none.
 */
export function applyFacts(
  db: Db,
  roomId: string,
  facts: readonly RoomFact[],
  now: Date,
  toEvent: (step: Step, occurredAt: Date) => OutgoingEvent,
): Promise<Applied> {
  return db.transaction(async (tx) => {
    const held = await lockLine(tx, roomId, facts)
    const members = await membersAmong(tx, roomId, usersBanned(facts))
    const steps = foldFacts(held?.line, roomId, facts, (userId) => members.has(userId))
    const last = steps.at(-1)
    if (!last) return { room: held?.line, applied: 0, entries: [], lastEntry: held?.factEntry ?? 0n }
    await insertRows(tx, roomId, steps, now)
    await storeMembers(tx, roomId, steps)
    await storeBans(tx, roomId, steps)
    const events = steps.map((step) => toEvent(step, occurredAt(step, now)))
    const entries = await enqueue(tx, events)
    const lastEntry = entries.at(-1) ?? 0n
    await storeLine(tx, last.line, lastEntry)
    return { room: last.line, applied: steps.length, entries, lastEntry }
  })
}

const occurredAt = ({ fact }: Step, now: Date): Date => (fact.occurredAt ? timestampDate(fact.occurredAt) : now)

/** Locks the line. One that is to be made gets its row first, so that two makers meet at it. */
async function lockLine(tx: Tx, roomId: string, facts: readonly RoomFact[]): Promise<Held | undefined> {
  const held = await selectLine(tx, roomId)
  if (held || facts[0]?.version !== 1n) return held && heldLine(held)
  await tx.insert(roomLines).values(unmade(roomId)).onConflictDoNothing()
  const row = await selectLine(tx, roomId)
  return row && heldLine(row)
}

const selectLine = async (tx: Tx, roomId: string) =>
  (await tx.select().from(roomLines).where(eq(roomLines.roomId, roomId)).for('no key update'))[0]

function unmade(roomId: string): typeof roomLines.$inferInsert {
  const nothing = { groupId: '', universal: false, archived: false, name: '', participantIds: [] }
  return { roomId, version: 0n, roomSeq: 0n, factEntry: 0n, kind: 'channel', ...nothing }
}

function heldLine(row: typeof roomLines.$inferSelect): Held | undefined {
  const { roomId, version, roomSeq, factEntry, factId, kind, groupId, universal, archived, name, participantIds } = row
  if (version === 0n) return undefined
  const room = { roomId, version, kind: roomKinds[kind], groupId, universal, archived, name, participantIds }
  return { line: { ...room, roomSeq, factId }, factEntry }
}

async function membersAmong(tx: Tx, roomId: string, userIds: string[]): Promise<Set<string>> {
  if (userIds.length === 0) return new Set()
  const rows = await tx
    .select({ userId: lineMembers.userId })
    .from(lineMembers)
    .where(and(eq(lineMembers.roomId, roomId), inArray(lineMembers.userId, userIds), lineMembers.member))
  return new Set(rows.map((row) => row.userId))
}

async function insertRows(tx: Tx, roomId: string, steps: readonly Step[], now: Date): Promise<void> {
  const rows = steps.flatMap((step) => {
    const kind = roomEventKind.enumValues.find((value) => value === step.notice)
    if (!kind) return []
    return {
      roomId,
      seq: step.line.roomSeq,
      eventId: step.fact.eventId,
      kind,
      inTimeline: true,
      actorId: step.aboutUserId ?? step.fact.actorId,
      createdAt: occurredAt(step, now),
    }
  })
  if (rows.length > 0) await tx.insert(roomEvents).values(rows)
}

async function storeMembers(tx: Tx, roomId: string, steps: readonly Step[]): Promise<void> {
  const rows = new Map<string, typeof lineMembers.$inferInsert>()
  for (const { members, fact } of steps) {
    for (const { userId, member } of members) rows.set(userId, { roomId, userId, member, version: fact.version })
  }
  if (rows.size === 0) return
  await tx
    .insert(lineMembers)
    .values([...rows.values()])
    .onConflictDoUpdate({
      target: [lineMembers.roomId, lineMembers.userId],
      set: { member: sql`excluded.member`, version: sql`excluded.version` },
    })
}

async function storeBans(tx: Tx, roomId: string, steps: readonly Step[]): Promise<void> {
  const rows = new Map<string, typeof lineBans.$inferInsert>()
  for (const { ban, fact } of steps) {
    if (!ban) continue
    const { userId, banned } = ban
    const expiresAt = ban.expiresAt ? timestampDate(ban.expiresAt) : null
    rows.set(userId, { roomId, userId, banned, expiresAt, version: fact.version })
  }
  if (rows.size === 0) return
  await tx
    .insert(lineBans)
    .values([...rows.values()])
    .onConflictDoUpdate({
      target: [lineBans.roomId, lineBans.userId],
      set: { banned: sql`excluded.banned`, expiresAt: sql`excluded.expires_at`, version: sql`excluded.version` },
    })
}

async function storeLine(tx: Tx, line: FactLine, factEntry: bigint): Promise<void> {
  const { roomId, version, roomSeq, factId, groupId, universal, archived, name, participantIds } = line
  await tx
    .update(roomLines)
    .set({
      version,
      roomSeq,
      factEntry,
      factId,
      kind: roomKindName(line.kind),
      groupId,
      universal,
      archived,
      name,
      participantIds: [...participantIds],
    })
    .where(eq(roomLines.roomId, roomId))
}
