import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { AdminProjectionStateSchema, type AdminProjectionState } from '@parley/contracts/admin'
import type { ConsumerInfo } from 'nats'
import { auditDurable } from '../domain/audit/durable.ts'
import type { BusState } from '../domain/bus-state.ts'
import type { LogSize } from '../store/log-size.ts'

export function toProjections(bus: BusState, log: LogSize): AdminProjectionState[] {
  return bus.consumers
    .filter(({ config }) => config.durable_name !== undefined)
    .map((info) => toProjection(info, bus, info.name === auditDurable.name ? describeLog(log) : {}))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
}

type LogState = Pick<
  MessageInitShape<typeof AdminProjectionStateSchema>,
  'failed' | 'failure' | 'entryCount' | 'estimatedBytes' | 'averageEntryBytes' | 'metrics'
>

function toProjection(info: ConsumerInfo, { stream, newest }: BusState, log: LogState): AdminProjectionState {
  const { name, config, ack_floor: floor } = info
  const subject = config.filter_subject ?? ''
  const lag = info.num_pending + info.num_ack_pending
  return create(AdminProjectionStateSchema, {
    key: name,
    name: formatDurableName(name),
    subjects: [subject],
    // Only the processes of the service know whether the projection is complete. A waiting pull shows that one of them
    // follows the events.
    started: lag === 0 || info.num_waiting > 0,
    lastAppliedSequence: String(floor.stream_seq),
    matchingStreamSequence: String(newest.get(subject) ?? 0),
    streamLastSequence: String(stream?.state.last_seq ?? 0),
    lag: BigInt(lag),
    ...log,
  })
}

function describeLog({ entries, bytes, parked }: LogSize): LogState {
  return {
    ...(parked > 0n && { failed: true, failure: `parked events: ${parked}; parley events parked lists them` }),
    entryCount: entries,
    estimatedBytes: bytes,
    averageEntryBytes: entries === 0n ? 0n : bytes / entries,
    metrics: [{ name: 'parked events', value: parked }],
  }
}

/** For example `people access of rooms` for `rooms-people-access`. */
function formatDurableName(durable: string): string {
  const [service = '', ...words] = durable.split('-')
  return `${words.join(' ')} of ${service}`
}
