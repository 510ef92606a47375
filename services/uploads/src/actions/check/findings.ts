import { StorageFindingKind } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { readAhead } from '../files/read-ahead.ts'
import { settledMs, unfinishedLifeMs } from '../../domain/limits.ts'
import type { ListedObject } from '../../engines/storage/index.ts'
import type { Expected, TableWithBytes } from '../../store/expected.ts'
import { assertFewMissing, assertNotEmpty } from './loss.ts'
import { orphanFinders } from './orphans.ts'
import { quarantine } from './quarantine.ts'

/** A problem, and whether it has been repaired. */
export type Finding = { kind: StorageFindingKind; key: string; size: number; storedAt?: Date; mended: boolean }

/** A checked part; `last` is the start of the next one, undefined if there is none. */
export type CheckedPage = { checked: number; findings: Finding[]; last?: string | undefined }

/** Whether to repair findings, and whether to do so even if most of the bytes are missing. */
export type RepairOptions = { repair: boolean; acceptLoss: boolean }

type Checking = Pick<Context, 'db' | 'storage' | 'now'>

const atOnce = 500
const objectsAtOnce = 16

/** Looks for stored objects below a prefix that have no row. */
export async function checkObjects(
  ctx: Checking,
  prefix: string,
  after: string,
  repair: boolean,
): Promise<CheckedPage> {
  const now = ctx.now().getTime()
  const page = await ctx.storage.page(prefix, after, atOnce)
  const settled = page.filter(({ modifiedAt }) => now - modifiedAt.getTime() > settledMs)
  const orphans = (await orphanFinders(ctx.db)[prefix]?.(settled.map(({ key }) => key))) ?? []
  const findings: Finding[] = []
  // Rows are deleted after their bytes, so bytes that still exist had no row at that time.
  const look = async (key: string) => ctx.storage.stat(key)
  for await (const found of readAhead(orphans, objectsAtOnce, look))
    if (found) findings.push({ kind: StorageFindingKind.ORPHAN, ...describe(found), mended: false })
  if (repair) {
    const deleted = await quarantine(
      ctx,
      findings.map(({ key }) => key),
    )
    for (const finding of findings) finding.mended = deleted.has(finding.key)
  }
  return { checked: page.length, findings, last: page.length === atOnce ? page.at(-1)?.key : undefined }
}

/** Looks for writes that never ended. */
export async function checkUnfinished(ctx: Checking, repair: boolean): Promise<CheckedPage> {
  const now = ctx.now().getTime()
  const piece: CheckedPage = { checked: 0, findings: [] }
  for await (const { key, startedAt, discard } of ctx.storage.unfinished()) {
    piece.checked++
    const age = now - startedAt.getTime()
    if (age <= settledMs) continue
    const mended = repair && age >= unfinishedLifeMs
    if (mended) await discard()
    piece.findings.push({ kind: StorageFindingKind.UNFINISHED, key, size: 0, storedAt: startedAt, mended })
    if (piece.findings.length === atOnce) break
  }
  return piece
}

/** Looks for rows whose bytes are missing or damaged. */
export async function checkRows(
  ctx: Checking,
  table: TableWithBytes,
  after: string,
  options: RepairOptions,
): Promise<CheckedPage> {
  const guardsAgainstLoss = options.repair && !options.acceptLoss
  if (guardsAgainstLoss) await assertNotEmpty(ctx)
  const rows = await table.behind(ctx.db, after, atOnce)
  const wrong: { row: Expected; there: ListedObject | undefined; kind: StorageFindingKind }[] = []
  const look = async (row: Expected) => ({ row, there: await ctx.storage.stat(row.key) })
  for await (const { row, there } of readAhead(rows, objectsAtOnce, look)) {
    const kind = problemOf(row, there)
    // In the meantime the bytes may have been deleted as intended.
    if (kind !== undefined && (await table.now(ctx.db, row.id))) wrong.push({ row, there, kind })
  }
  if (guardsAgainstLoss) assertFewMissing(wrong.filter(({ there }) => !there).length, rows.length)
  const findings: Finding[] = []
  for (const { row, there, kind } of wrong) {
    if (options.repair) await table.mark(ctx.db, row.id, kind !== StorageFindingKind.RETURNED)
    findings.push({ kind, ...(there ? describe(there) : { key: row.key, size: 0 }), mended: options.repair })
  }
  return { checked: rows.length, findings, last: rows.length === atOnce ? rows.at(-1)?.id : undefined }
}

function problemOf({ size, lost }: Expected, there: ListedObject | undefined): StorageFindingKind | undefined {
  const isWhole = there !== undefined && (size === undefined || size === there.size)
  if (lost) return isWhole ? StorageFindingKind.RETURNED : undefined
  if (isWhole) return undefined
  return there ? StorageFindingKind.DAMAGED : StorageFindingKind.MISSING
}

const describe = ({ key, size, modifiedAt: storedAt }: ListedObject) => ({ key, size, storedAt })
