import type { Context } from '../../context.ts'
import { erasurePassNotFound, unknownErasingService } from '../../errors.ts'
import { getRequestedPass, saveReport } from '../../store/deletions.ts'
import { erasingServices } from './passes.ts'

/** Throws `not_found` for a pass that was not requested, and `invalid_argument` for a service that does not erase. */
export async function recordErasureReport(
  { db, now }: Pick<Context, 'db' | 'now'>,
  report: { userId: string; service: string; pass: number; found: bigint },
): Promise<void> {
  if (!erasingServices.some((service) => service === report.service)) throw unknownErasingService(report.service)
  if (report.pass < 1 || report.pass > (await getRequestedPass(db, report.userId))) throw erasurePassNotFound()
  await saveReport(db, report, now())
}
