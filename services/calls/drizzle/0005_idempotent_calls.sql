-- The table gets the name and the columns that it has in every database. The version that is running goes on under the old
-- name, which is a view; a later release drops it, and "joined".
ALTER TABLE "call_keys" RENAME TO "idempotent_calls";--> statement-breakpoint
ALTER TABLE "idempotent_calls" RENAME COLUMN "digest" TO "request_digest";--> statement-breakpoint
ALTER TABLE "idempotent_calls" ADD COLUMN "method" text DEFAULT '/svc.api.v1.VoiceCallService/JoinCall' NOT NULL;--> statement-breakpoint
ALTER TABLE "idempotent_calls" ADD COLUMN "response" "bytea" DEFAULT '\x0801' NOT NULL;--> statement-breakpoint
UPDATE "idempotent_calls" SET "response" = '' WHERE NOT "joined";--> statement-breakpoint
ALTER TABLE "idempotent_calls" ALTER COLUMN "method" DROP DEFAULT;--> statement-breakpoint
ALTER TABLE "idempotent_calls" ALTER COLUMN "response" DROP DEFAULT;--> statement-breakpoint
ALTER TABLE "idempotent_calls" ALTER COLUMN "created_at" SET DEFAULT now();--> statement-breakpoint
ALTER TABLE "idempotent_calls" DROP CONSTRAINT "call_keys_caller_id_key_pk";--> statement-breakpoint
ALTER TABLE "idempotent_calls" ADD CONSTRAINT "idempotent_calls_caller_id_method_key_pk" PRIMARY KEY("caller_id","method","key");--> statement-breakpoint
ALTER INDEX "call_keys_age" RENAME TO "idempotent_calls_by_age";--> statement-breakpoint
CREATE VIEW "call_keys" AS SELECT "ctid", "caller_id", "key", "request_digest" AS "digest", "joined", "created_at", "method", "response" FROM "idempotent_calls";--> statement-breakpoint
ALTER VIEW "call_keys" ALTER COLUMN "method" SET DEFAULT '/svc.api.v1.VoiceCallService/JoinCall';--> statement-breakpoint
ALTER VIEW "call_keys" ALTER COLUMN "response" SET DEFAULT '\x0801';
