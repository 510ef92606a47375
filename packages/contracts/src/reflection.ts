/** The gRPC reflection protocol in both versions that clients use; their messages have the same shape. */
export * as v1 from './gen/grpc/reflection/v1/reflection_pb.ts'
export * as v1alpha from './gen/grpc/reflection/v1alpha/reflection_pb.ts'
