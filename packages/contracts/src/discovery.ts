/** Package svc.discovery.v1: what a client learns before anyone has signed in. */
export * from './gen/svc/discovery/v1/server_pb.ts'
