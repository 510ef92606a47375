CREATE TABLE "imported_files" (
	"key" "bytea" PRIMARY KEY NOT NULL,
	"upload_id" text NOT NULL,
	"asset_id" text
);
