CREATE TABLE "asset_variants" (
	"key" text PRIMARY KEY NOT NULL,
	"asset_id" text NOT NULL,
	"name" text NOT NULL,
	"content_type" text NOT NULL,
	"size" bigint NOT NULL,
	"sha256" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "handover_leases" (
	"room_id" text PRIMARY KEY NOT NULL,
	"holder" text NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "handovers" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"room_id" text NOT NULL,
	"payload" "bytea" NOT NULL,
	"refusals" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "video_jobs" (
	"asset_id" text PRIMARY KEY NOT NULL,
	"room_id" text NOT NULL,
	"message_event_id" text NOT NULL,
	"imported" boolean NOT NULL,
	"result" "bytea",
	"attempts" integer DEFAULT 0 NOT NULL,
	"holder" text,
	"leased_until" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "assets" ADD COLUMN "animated" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "asset_variants_of_asset" ON "asset_variants" USING btree ("asset_id","name");--> statement-breakpoint
CREATE INDEX "handovers_room" ON "handovers" USING btree ("room_id","id");--> statement-breakpoint
CREATE INDEX "video_jobs_waiting" ON "video_jobs" USING btree ("imported","created_at") WHERE result is null;