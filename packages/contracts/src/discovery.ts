/** Package svc.discovery.v1: information for clients before sign-in. */
export * from './gen/svc/discovery/v1/server_pb.ts'
