import { randomUUID } from 'node:crypto'
import { create, toBinary } from '@bufbuild/protobuf'
import type { ReportErasedRequest } from '@parley/contracts/internal'
import { EventBatchSchema } from '@parley/contracts/internal'
import { declareStreams, eventSubject } from '@parley/events'
import type { Bus } from '@parley/rpc'

/** Asks services to erase what they have of an account, as accounts does. */
export async function requestErasure(bus: Bus, userId: string, pass = 1): Promise<void> {
  await declareStreams(bus)
  const about = { aggregateType: 'user', aggregateId: userId, kind: 'erasure_requested' } as const
  const fact = { case: 'erasureRequested', value: { pass } } as const
  const batch = create(EventBatchSchema, { events: [{ ...about, id: randomUUID(), version: BigInt(pass), fact }] })
  await bus.nc.jetstream().publish(eventSubject(about), toBinary(EventBatchSchema, batch))
}

/** What a stand-in of accounts is told by services that erase. */
export class ErasureReports {
  readonly all: Pick<ReportErasedRequest, 'userId' | 'service' | 'pass' | 'found'>[] = []

  /** Implements AccountsInternalService.ReportErased. */
  readonly reportErased = ({ userId, service, pass, found }: ReportErasedRequest) => {
    this.all.push({ userId, service, pass, found })
    return {}
  }

  /** What was found in a pass; undefined while nobody has reported it. */
  found(userId: string, pass: number): bigint | undefined {
    return this.all.find((report) => report.userId === userId && report.pass === pass)?.found
  }
}
