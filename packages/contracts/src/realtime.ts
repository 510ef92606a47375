/** Package svc.realtime.v1. */
export * from './gen/svc/realtime/v1/realtime_pb.ts'
