-- "room_id" and "version" stay for the version that is running, which writes them; a later release drops them.
ALTER TABLE "idempotent_calls" ALTER COLUMN "created_at" SET DEFAULT now();--> statement-breakpoint
ALTER TABLE "idempotent_calls" ALTER COLUMN "room_id" SET DEFAULT '';--> statement-breakpoint
ALTER TABLE "idempotent_calls" ALTER COLUMN "version" SET DEFAULT 0;
