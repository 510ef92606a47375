/** Package buf.validate: the rules of fields. */
export * from './gen/buf/validate/validate_pb.ts'
