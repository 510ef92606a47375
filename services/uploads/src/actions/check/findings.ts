import { StorageFindingKind } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { readAhead } from '../files/read-ahead.ts'
import { settledMs, unfinishedLifeMs } from '../../domain/limits.ts'
import type { ListedObject } from '../../engines/storage/index.ts'
import type { ExpectedBytes, TableWithBytes } from '../../store/tables-with-bytes.ts'
import { assertFewMissing, assertNotEmpty } from './loss.ts'
import { orphanFinders } from './orphans.ts'
import { quarantine } from './quarantine.ts'

export type Finding = { kind: StorageFindingKind; key: string; size: number; storedAt?: Date; mended: boolean }

export type CheckedPage = { checked: number; findings: Finding[]; last?: string | undefined }

/** `acceptLoss`: repair even if most of the bytes are missing. */
export type RepairOptions = { repair: boolean; acceptLoss: boolean }

type CheckContext = Pick<Context, 'db' | 'storage' | 'now'>

const pageSize = 500
const objectsAtOnce = 16

/**
 * Finds stored objects that are old enough to have a row, but have none. With `repair`, puts them into quarantine, and
 * deletes those that have been there for a week.
 */
export async function checkObjects(
  ctx: CheckContext,
  prefix: string,
  after: string,
  repair: boolean,
): Promise<CheckedPage> {
  const now = ctx.now().getTime()
  const page = await ctx.storage.page(prefix, after, pageSize)
  const settled = page.filter(({ modifiedAt }) => now - modifiedAt.getTime() > settledMs)
  const orphans = (await orphanFinders(ctx.db)[prefix]?.(settled.map(({ key }) => key))) ?? []
  const findings: Finding[] = []
  // Bytes other than blobs are deleted before their rows, so an object that was being deleted is gone by now.
  const findObject = async (key: string) => ctx.storage.stat(key)
  for await (const found of readAhead(orphans, objectsAtOnce, findObject))
    if (found) findings.push({ kind: StorageFindingKind.ORPHAN, ...describe(found), mended: false })
  if (repair) {
    const deleted = await quarantine(
      ctx,
      findings.map(({ key }) => key),
    )
    for (const finding of findings) finding.mended = deleted.has(finding.key)
  }
  return { checked: page.length, findings, last: page.length === pageSize ? page.at(-1)?.key : undefined }
}

/** Finds writes that were not finished in time. With `repair`, discards those older than a day. */
export async function checkUnfinished(ctx: CheckContext, after: string, repair: boolean): Promise<CheckedPage> {
  const now = ctx.now().getTime()
  const page = await ctx.storage.unfinishedAfter(after, pageSize)
  const findings: Finding[] = []
  for (const { key, at, discard } of page) {
    const age = now - at.getTime()
    if (age <= settledMs) continue
    const mended = repair && age >= unfinishedLifeMs
    if (mended) await discard()
    findings.push({ kind: StorageFindingKind.UNFINISHED, key, size: 0, storedAt: at, mended })
  }
  return { checked: page.length, findings, last: page.length >= pageSize ? page.at(-1)?.key : undefined }
}

/**
 * Finds rows whose bytes are missing or have another size, and rows marked as lost whose bytes are complete again. With
 * `repair`, marks the former as lost, and the latter as no longer lost.
 */
export async function checkRows(
  ctx: CheckContext,
  table: TableWithBytes,
  after: string,
  options: RepairOptions,
): Promise<CheckedPage> {
  const guardsAgainstLoss = options.repair && !options.acceptLoss
  if (guardsAgainstLoss) await assertNotEmpty(ctx)
  const rows = await table.listAfter(ctx.db, after, pageSize)
  const mismatches: { row: ExpectedBytes; stored: ListedObject | undefined; kind: StorageFindingKind }[] = []
  const findBytes = async (row: ExpectedBytes) => ({ row, stored: await ctx.storage.stat(row.key) })
  for await (const { row, stored } of readAhead(rows, objectsAtOnce, findBytes)) {
    const kind = problemOf(row, stored)
    if (kind !== undefined && (await table.find(ctx.db, row.id))) mismatches.push({ row, stored, kind })
  }
  if (guardsAgainstLoss) assertFewMissing(mismatches.filter(({ stored }) => !stored).length, rows.length)
  const findings: Finding[] = []
  for (const { row, stored, kind } of mismatches) {
    if (options.repair) await table.markLost(ctx.db, row.id, kind !== StorageFindingKind.RETURNED)
    findings.push({ kind, ...(stored ? describe(stored) : { key: row.key, size: 0 }), mended: options.repair })
  }
  return { checked: rows.length, findings, last: rows.length === pageSize ? rows.at(-1)?.id : undefined }
}

function problemOf({ size, lost }: ExpectedBytes, stored: ListedObject | undefined): StorageFindingKind | undefined {
  const isComplete = stored !== undefined && (size === undefined || size === stored.size)
  if (lost) return isComplete ? StorageFindingKind.RETURNED : undefined
  if (isComplete) return undefined
  return stored ? StorageFindingKind.DAMAGED : StorageFindingKind.MISSING
}

const describe = ({ key, size, modifiedAt: storedAt }: ListedObject) => ({ key, size, storedAt })
