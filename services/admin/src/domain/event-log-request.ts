import type { Timestamp } from '@bufbuild/protobuf/wkt'
import type { AdminEventLogFilter } from '@parley/contracts/admin'
import { badSequence, timesReversed } from '../errors.ts'

/** All conditions must match; empty and undefined ones always do. Times are inclusive. */
export type EntryFilter = { eventType: string; actorId: string; from: Date | undefined; to: Date | undefined }

const defaultLimit = 50
const maxLimit = 200
/** Maximum number of entries that a filtered request reads. */
export const maxScanned = 5000
const highestSequence = 2n ** 63n - 1n

export const toPageSize = (limit: number): number => (limit === 0 ? defaultLimit : Math.min(limit, maxLimit))

/** Throws `invalid_argument` unless the text is a decimal number. Lowers values above 2^63-1 to it. */
export function parseSequence(text: string): bigint {
  if (!/^\d+$/.test(text)) throw badSequence()
  const sequence = BigInt(text)
  return sequence > highestSequence ? highestSequence : sequence
}

export function entryFilter(filter: AdminEventLogFilter | undefined): EntryFilter {
  const { eventType = '', actorId = '', createdAtFrom, createdAtTo } = filter ?? {}
  if (createdAtFrom && createdAtTo && isAfter(createdAtFrom, createdAtTo)) throw timesReversed()
  return {
    eventType,
    actorId,
    from: createdAtFrom && toMs(createdAtFrom, Math.ceil),
    to: createdAtTo && toMs(createdAtTo, Math.floor),
  }
}

export const hasCondition = ({ eventType, actorId, from, to }: EntryFilter): boolean =>
  eventType !== '' || actorId !== '' || from !== undefined || to !== undefined

const isAfter = (one: Timestamp, other: Timestamp): boolean =>
  one.seconds === other.seconds ? one.nanos > other.nanos : one.seconds > other.seconds

const toMs = ({ seconds, nanos }: Timestamp, round: (ms: number) => number): Date =>
  new Date(Number(seconds) * 1000 + round(nanos / 1e6))
