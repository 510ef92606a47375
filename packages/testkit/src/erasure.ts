import type { ReportErasedRequest } from '@parley/contracts/internal'
import { declareStreams } from '@parley/events'
import type { Bus } from '@parley/rpc'
import { publishEvents } from './publish-events.ts'

/** Sends the request that accounts sends to services. */
export async function requestErasure(bus: Bus, userId: string, pass = 1): Promise<void> {
  await declareStreams(bus)
  const about = { aggregateType: 'user', aggregateId: userId, kind: 'erasure_requested' } as const
  await publishEvents(bus, { ...about, version: BigInt(pass), fact: { case: 'erasureRequested', value: { pass } } })
}

/** Collects the reports about erasures that services send to a fake of accounts. */
export class ErasureReports {
  readonly all: Pick<ReportErasedRequest, 'userId' | 'service' | 'pass' | 'found'>[] = []

  readonly reportErased = ({ userId, service, pass, found }: ReportErasedRequest) => {
    this.all.push({ userId, service, pass, found })
    return {}
  }

  /** Returns undefined until the pass is reported. */
  found(userId: string, pass: number): bigint | undefined {
    return this.all.find((report) => report.userId === userId && report.pass === pass)?.found
  }
}
