/** The gRPC reflection protocol, v1 and v1alpha, whose messages have the same shape. */
export * as v1 from './gen/grpc/reflection/v1/reflection_pb.ts'
export * as v1alpha from './gen/grpc/reflection/v1alpha/reflection_pb.ts'
