/** Package svc.admin.v1. */
export * from './gen/svc/admin/v1/diagnostics_pb.ts'
export * from './gen/svc/admin/v1/event_log_pb.ts'
export * from './gen/svc/admin/v1/members_pb.ts'
export * from './gen/svc/admin/v1/permissions_pb.ts'
export * from './gen/svc/admin/v1/roles_pb.ts'
export * from './gen/svc/admin/v1/room_layout_pb.ts'
export * from './gen/svc/admin/v1/server_pb.ts'
