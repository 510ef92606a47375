/** Package svc.realtime.v1: frames of the WebSocket at /api/realtime. */
export * from './gen/svc/realtime/v1/realtime_pb.ts'
