"""Storage in a bucket of any service that speaks S3. Nothing else knows aiobotocore."""
