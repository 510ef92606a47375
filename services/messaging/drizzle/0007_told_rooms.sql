CREATE TABLE "notification_levels" (
	"user_id" text NOT NULL,
	"room_id" text NOT NULL,
	"level" smallint NOT NULL,
	"version" bigint NOT NULL,
	CONSTRAINT "notification_levels_user_id_room_id_pk" PRIMARY KEY("user_id","room_id")
);
--> statement-breakpoint
CREATE TABLE "room_event_versions" (
	"room_id" text NOT NULL,
	"aggregate_type" text NOT NULL,
	"aggregate_id" text NOT NULL,
	"version" bigint NOT NULL,
	"heard_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "room_event_versions_room_id_aggregate_type_aggregate_id_pk" PRIMARY KEY("room_id","aggregate_type","aggregate_id")
);
--> statement-breakpoint
ALTER TABLE "message_attachments" ADD COLUMN "video" "bytea";--> statement-breakpoint
CREATE INDEX "room_event_versions_heard" ON "room_event_versions" USING btree ("heard_at");