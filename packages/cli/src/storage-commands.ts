import { timestampDate } from '@bufbuild/protobuf/wkt'
import type { Command } from 'commander'
import { StorageFindingKind } from '@parley/contracts/internal'
import { exitCodes, Failure, misused } from './failure.ts'
import type { CommandContext } from './command-context.ts'
import type { TransferFleet } from './transfer/fleet.ts'

const progressIntervalMs = 5_000
const maxListed = 1_000

const kindNames: Record<StorageFindingKind, string> = {
  [StorageFindingKind.UNSPECIFIED]: 'unknown',
  [StorageFindingKind.ORPHAN]: 'orphan',
  [StorageFindingKind.UNFINISHED]: 'unfinished',
  [StorageFindingKind.MISSING]: 'missing',
  [StorageFindingKind.DAMAGED]: 'damaged',
  [StorageFindingKind.RETURNED]: 'returned',
}

type CheckOptions = { repair: boolean; acceptLoss: boolean }
type Found = { kind: string; key: string; size: number; storedAt: string; mended: boolean }
type Report = { checked: number; found: number; mended: number; kinds: Record<string, number>; findings: Found[] }

export function addStorageCommands(parent: Command, context: CommandContext): void {
  parent
    .command('check')
    .description(
      'find stored objects without a database row and rows without an object; exits with 1 if findings remain',
    )
    .option(
      '--repair',
      'delete objects that were found without a row seven days ago, discard unfinished writes after a day, and mark lost files',
    )
    .option('--accept-loss', 'with --repair: proceed even if most of the objects are missing')
    .action(({ repair = false, acceptLoss = false }: { repair?: boolean; acceptLoss?: boolean }) => {
      if (acceptLoss && !repair) throw misused('--accept-loss needs --repair')
      return runCheck(context, { repair, acceptLoss })
    })
  parent
    .command('adopt')
    .description('assign the storage to this database, after a restore or a deliberate change of storage')
    .action(() => runAdopt(context))
}

async function runAdopt({ access, print }: CommandContext): Promise<void> {
  const { withFleet } = await import('./transfer/fleet.ts')
  await withFleet(access(), (fleet) => fleet.storage.adoptStorage({}))
  print({
    json: { adopted: true },
    text: 'the storage belongs to this database now; check it with parley storage check',
  })
}

async function runCheck({ access, note, print }: CommandContext, options: CheckOptions): Promise<void> {
  const { withFleet } = await import('./transfer/fleet.ts')
  let reportedAt = Date.now()
  const report = await withFleet(access(), (fleet) =>
    check(fleet, options, ({ checked, found }) => {
      if (Date.now() - reportedAt < progressIntervalMs) return
      reportedAt = Date.now()
      note(`objects and rows checked: ${checked}, findings: ${found}`)
    }),
  )
  print({ json: report, text: asText(report) })
  const left = report.found - report.mended
  if (left > 0) throw new Failure(exitCodes.refused, 'failed_precondition', advice(left, options.repair))
}

async function check(fleet: TransferFleet, options: CheckOptions, progress: (report: Report) => void): Promise<Report> {
  const report: Report = { checked: 0, found: 0, mended: 0, kinds: {}, findings: [] }
  let cursor = ''
  do {
    const { checked, findings, nextCursor } = await fleet.storage.checkStorage({ cursor, ...options })
    report.checked += checked
    for (const { kind, key, size, storedAt, mended } of findings) {
      const word = kindNames[kind]
      report.found++
      report.mended += Number(mended)
      report.kinds[word] = (report.kinds[word] ?? 0) + 1
      if (report.findings.length === maxListed) continue
      const at = storedAt ? timestampDate(storedAt).toISOString() : ''
      report.findings.push({ kind: word, key, size: Number(size), storedAt: at, mended })
    }
    cursor = nextCursor
    progress(report)
  } while (cursor !== '')
  return report
}

function asText({ checked, found, mended, findings }: Report): string {
  const lines = findings.map(
    ({ kind, key, size, storedAt, mended: isMended }) =>
      `${kind}  ${key}  ${size} bytes${storedAt === '' ? '' : `  since ${storedAt}`}${isMended ? '  repaired' : ''}`,
  )
  const more = found > findings.length ? [`and ${found - findings.length} more`] : []
  return [...lines, ...more, `objects and rows checked: ${checked}, findings: ${found}, repaired: ${mended}`].join('\n')
}

const advice = (left: number, repair: boolean): string =>
  repair
    ? `${left} findings remain: objects without a row are deleted after seven days, unfinished writes after one`
    : `${left} findings; parley storage check --repair repairs them`
