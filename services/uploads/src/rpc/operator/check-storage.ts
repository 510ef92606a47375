import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { MethodImpl } from '@connectrpc/connect'
import type { UploadsOperatorService } from '@parley/contracts/internal'
import { assertStorageIsOwn } from '../../actions/check/identity.ts'
import {
  checkObjects,
  checkRows,
  checkUnfinished,
  type RepairOptions,
  type CheckedPage,
} from '../../actions/check/findings.ts'
import type { Context } from '../../context.ts'
import { checkCursorInvalid } from '../../errors.ts'
import { storageKeys } from '../../engines/storage/index.ts'
import { tablesWithBytes } from '../../store/tables-with-bytes.ts'

/** The name of a step, and the key or id after which it continues; nothing at its start. */
const cursorPattern = /^([\w-]+):((?:[\w-]+(?:\/[\w-]+)*)?)$/

type Step = { name: string; check: (after: string, options: RepairOptions) => Promise<CheckedPage> }

export function checkStorage(ctx: Context): MethodImpl<typeof UploadsOperatorService.method.checkStorage> {
  const { blobs, chunks, assets, variants, serverImages } = storageKeys
  const steps: Step[] = [
    // Rows are checked first: if many bytes are missing, this may be the wrong storage, in which nothing must be
    // deleted.
    ...tablesWithBytes.map((table) => ({
      name: `rows-${table.name}`,
      check: (after: string, options: RepairOptions) => checkRows(ctx, table, after, options),
    })),
    ...[blobs, chunks, assets, variants, serverImages].map((prefix) => ({
      name: `objects-${prefix}`,
      check: (after: string, { repair }: RepairOptions) => checkObjects(ctx, prefix, after, repair),
    })),
    { name: 'unfinished', check: (after, { repair }) => checkUnfinished(ctx, after, repair) },
  ]
  const firstCursor = `${steps[0]?.name}:`
  return async ({ cursor, repair, acceptLoss }) => {
    const [, name, after = ''] = cursorPattern.exec(cursor === '' ? firstCursor : cursor) ?? []
    const index = steps.findIndex((step) => step.name === name)
    const step = steps[index]
    if (!step) throw checkCursorInvalid()
    if (repair) await assertStorageIsOwn(ctx)
    const { checked, findings, last } = await step.check(after, { repair, acceptLoss })
    const next = last === undefined ? steps[index + 1]?.name : name
    return {
      nextCursor: next === undefined ? '' : `${next}:${last ?? ''}`,
      checked,
      findings: findings.map(({ size, storedAt, ...finding }) => ({
        ...finding,
        size: BigInt(size),
        ...(storedAt && { storedAt: timestampFromDate(storedAt) }),
      })),
    }
  }
}
