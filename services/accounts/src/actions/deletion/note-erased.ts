import type { Context } from '../../context.ts'
import { notBeingDeleted, unknownEraser } from '../../errors.ts'
import { requestedPass, saveReport } from '../../store/deletions.ts'
import { erasers } from './passes.ts'

/**
 * Records a report. Throws `not_found` for a pass that was not requested, `invalid_argument` for an unknown service.
 */
export async function noteErased(
  { db, now }: Pick<Context, 'db' | 'now'>,
  report: { userId: string; service: string; pass: number; found: bigint },
): Promise<void> {
  if (!erasers.some((service) => service === report.service)) throw unknownEraser(report.service)
  if (report.pass < 1 || report.pass > (await requestedPass(db, report.userId))) throw notBeingDeleted()
  await saveReport(db, report, now())
}
