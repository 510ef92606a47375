/** Package buf.validate: the validation rules attached to fields, and the shape of violations. */
export * from './gen/buf/validate/validate_pb.ts'
