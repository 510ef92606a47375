import { create } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import {
  AdminAccountInfoSchema,
  AdminConnectionInfoSchema,
  AdminNatsConsumerInfoSchema,
  AdminNatsStatsSchema,
  AdminNatsStreamInfoSchema,
  AdminStreamLossesSchema,
  type AdminAccountInfo,
  type AdminConnectionInfo,
  type AdminNatsConsumerInfo,
  type AdminNatsStats,
  type AdminNatsStreamInfo,
  type AdminStreamLosses,
} from '@parley/contracts/admin'
import type { RecoverySummary } from '@parley/events'
import type { ConsumerInfo, JetStreamAccountStats, StreamInfo } from 'nats'
import type { BusState } from '../domain/bus-state.ts'

export function toConnection({ connected, server, rttMs }: BusState): AdminConnectionInfo {
  return create(AdminConnectionInfoSchema, {
    connected,
    serverId: server?.server_id ?? '',
    serverName: server?.server_name ?? '',
    version: server?.version ?? '',
    maxPayload: BigInt(server?.max_payload ?? 0),
    rtt: rttMs === undefined ? '' : formatDuration(rttMs),
  })
}

export function toAccount({ limits, memory, storage, streams, consumers }: JetStreamAccountStats): AdminAccountInfo {
  return create(AdminAccountInfoSchema, {
    memory: BigInt(limits.max_memory),
    memoryUsed: BigInt(memory),
    storage: BigInt(limits.max_storage),
    storageUsed: BigInt(storage),
    streams: limits.max_streams,
    streamsUsed: streams,
    consumers: limits.max_consumers,
    consumersUsed: consumers,
  })
}

/** `replicas`: the wanted copies of the stream; if undefined, as many as there are. */
export function toNatsStats({ stream, consumers }: BusState, replicas: number | undefined): AdminNatsStats {
  return create(AdminNatsStatsSchema, {
    totalMessages: BigInt(stream?.state.messages ?? 0),
    totalBytes: BigInt(stream?.state.bytes ?? 0),
    totalConsumerPending: BigInt(sum(consumers.map(({ num_pending }) => num_pending))),
    totalAckPending: sum(consumers.map(({ num_ack_pending }) => num_ack_pending)),
    streams: stream ? [toStream(stream, replicas)] : [],
    consumers: consumers.map(toConsumer).sort((a, b) => (a.name < b.name ? -1 : 1)),
  })
}

function toStream({ config, state, cluster }: StreamInfo, replicas = config.num_replicas): AdminNatsStreamInfo {
  return create(AdminNatsStreamInfoSchema, {
    name: config.name,
    description: config.description ?? '',
    subjects: config.subjects,
    storage: config.storage,
    messages: BigInt(state.messages),
    bytes: BigInt(state.bytes),
    firstSequence: String(state.first_seq),
    lastSequence: String(state.last_seq),
    consumerCount: state.consumer_count,
    replicas: config.num_replicas,
    clusterLeader: cluster?.leader ?? '',
    maxBytes: BigInt(config.max_bytes),
    replicasWanted: replicas,
  })
}

function toConsumer(info: ConsumerInfo): AdminNatsConsumerInfo {
  const { config, delivered, ack_floor: floor } = info
  return create(AdminNatsConsumerInfoSchema, {
    stream: info.stream_name,
    name: info.name,
    durable: config.durable_name ?? '',
    filterSubject: config.filter_subject ?? '',
    filterSubjects: config.filter_subjects ?? [],
    ackPolicy: config.ack_policy,
    pullBased: config.deliver_subject === undefined,
    pushBound: info.push_bound,
    pending: BigInt(info.num_pending),
    ackPending: info.num_ack_pending,
    redelivered: info.num_redelivered,
    waiting: info.num_waiting,
    deliveredConsumerSequence: String(delivered.consumer_seq),
    deliveredStreamSequence: String(delivered.stream_seq),
    ackFloorConsumerSequence: String(floor.consumer_seq),
    ackFloorStreamSequence: String(floor.stream_seq),
  })
}

export function toStreamLosses({ generation, recoveredAt, lostEvents }: RecoverySummary): AdminStreamLosses {
  return create(AdminStreamLossesSchema, {
    recoveries: generation,
    ...(recoveredAt && { lastRecoveredAt: timestampFromDate(recoveredAt) }),
    lostEvents,
  })
}

/** `180µs`, `1.25ms` */
const formatDuration = (ms: number): string => (ms < 1 ? `${Math.round(ms * 1000)}µs` : `${Number(ms.toFixed(2))}ms`)

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
