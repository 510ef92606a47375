/** Package svc.discovery.v1. */
export * from './gen/svc/discovery/v1/server_pb.ts'
