/** Package svc.internal.v1: what the deployables say to each other; never served to clients. */
export * from './gen/svc/internal/v1/accounts_pb.ts'
export * from './gen/svc/internal/v1/admin_pb.ts'
export * from './gen/svc/internal/v1/caller_pb.ts'
export * from './gen/svc/internal/v1/events_pb.ts'
export * from './gen/svc/internal/v1/messaging_pb.ts'
export * from './gen/svc/internal/v1/notifications_pb.ts'
export * from './gen/svc/internal/v1/operator_pb.ts'
export * from './gen/svc/internal/v1/rooms_pb.ts'
