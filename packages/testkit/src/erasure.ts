import type { ReportErasedRequest } from '@parley/contracts/internal'
import { declareStreams } from '@parley/events'
import type { Bus } from '@parley/rpc'
import { publishEvents } from './publish-events.ts'

/** Requests the erasure of an account from services, as accounts does. */
export async function requestErasure(bus: Bus, userId: string, pass = 1): Promise<void> {
  await declareStreams(bus)
  const about = { aggregateType: 'user', aggregateId: userId, kind: 'erasure_requested' } as const
  await publishEvents(bus, { ...about, version: BigInt(pass), fact: { case: 'erasureRequested', value: { pass } } })
}

/** Reports of erasing services to a stand-in of accounts. */
export class ErasureReports {
  readonly all: Pick<ReportErasedRequest, 'userId' | 'service' | 'pass' | 'found'>[] = []

  /** Implements AccountsInternalService.ReportErased. */
  readonly reportErased = ({ userId, service, pass, found }: ReportErasedRequest) => {
    this.all.push({ userId, service, pass, found })
    return {}
  }

  /** Number found in a pass; undefined until it is reported. */
  found(userId: string, pass: number): bigint | undefined {
    return this.all.find((report) => report.userId === userId && report.pass === pass)?.found
  }
}
